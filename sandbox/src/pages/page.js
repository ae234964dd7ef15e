// Copies texts, and updates the parts of a page that change by themselves. Pages work without it.

const announcement = document.getElementById('announcement');

function announce(sentence) {
	announcement.textContent = '';
	// A screen reader does not read the same text again.
	setTimeout(() => (announcement.textContent = sentence), 50);
}

function showCopyButtons(root) {
	for (const button of root.querySelectorAll('button.copy')) button.hidden = false;
}

async function copy(button) {
	try {
		await navigator.clipboard.writeText(button.dataset.copy);
		button.classList.add('done');
		announce('Copied.');
		setTimeout(() => button.classList.remove('done'), 1500);
	} catch {
		// The browser does not allow it: select the text, so that a person can copy it.
		getSelection().selectAllChildren(button.previousElementSibling ?? button.parentElement);
		announce('The text is selected. Copy it with the keyboard.');
	}
}

document.addEventListener('click', (event) => {
	const button = event.target.closest('button.copy');
	if (button) copy(button);
});

const parts = [...document.querySelectorAll('[data-live]')];

/** Replaces the content of a part. Details that are open stay open, and the keyboard focus stays where it is. */
function update(part, fresh) {
	if (!fresh || part.dataset.before === fresh.innerHTML) return;
	const open = [...part.querySelectorAll('details[open][id]')].map(({ id }) => id);
	const focused = locate(document.activeElement, part);
	part.dataset.before = fresh.innerHTML;
	part.replaceChildren(...document.importNode(fresh, true).childNodes);
	for (const id of open) document.getElementById(id)?.setAttribute('open', '');
	showCopyButtons(part);
	focused?.()?.focus({ preventScroll: true });
}

/** How to find the focused element again: as the nth of its kind in the nearest element with an id. */
function locate(element, part) {
	if (!part.contains(element)) return undefined;
	const owner = element.closest('[id]');
	if (owner === element) return () => document.getElementById(element.id);
	const at = [...owner.querySelectorAll(element.tagName)].indexOf(element);
	return () => document.getElementById(owner.id)?.querySelectorAll(element.tagName)[at];
}

function hasSelection(part) {
	const selection = getSelection();
	return !selection.isCollapsed && part.contains(selection.anchorNode);
}

function isPaused() {
	return (
		document.hidden || document.getElementById('pause')?.getAttribute('aria-pressed') === 'true'
	);
}

let isStale = false;
let isBusy = false;

/** Shows what has changed. A change that comes meanwhile is shown next. */
async function refresh() {
	isStale = true;
	if (isBusy) return;
	isBusy = true;
	while (isStale && !isPaused()) {
		isStale = false;
		try {
			const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
			const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
			for (const part of parts) {
				if (answer.ok && !hasSelection(part)) update(part, page.getElementById(part.id));
			}
		} catch {
			// The sandbox has ended or is starting. It tells when it is there again.
		}
	}
	isBusy = false;
}

let changes;

/** Has the sandbox tell of changes while the page is seen: a browser has few connections for many pages. */
function listen() {
	changes?.close();
	if (document.hidden) return;
	changes = new EventSource('/_sandbox/changes');
	changes.addEventListener('change', refresh);
}

function addPauseButton() {
	const button = document.createElement('button');
	button.id = 'pause';
	button.type = 'button';
	button.className = 'plain pause';
	button.setAttribute('aria-pressed', 'false');
	button.textContent = 'Pause';
	button.addEventListener('click', () => {
		const pressed = button.getAttribute('aria-pressed') !== 'true';
		button.setAttribute('aria-pressed', String(pressed));
		refresh();
	});
	const note = document.createElement('p');
	note.className = 'live-note quiet';
	note.append('Shows changes as they happen. ', button);
	parts[0].before(note);
}

for (const part of parts) part.dataset.before = part.innerHTML;
showCopyButtons(document);
if (parts.length > 0) {
	addPauseButton();
	document.addEventListener('visibilitychange', listen);
	listen();
}
