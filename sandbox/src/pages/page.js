// What the pages can do beyond links and forms: copy a text, and renew what changes by itself. Without it, everything still works.

const told = document.getElementById('told');

function tell(sentence) {
	told.textContent = '';
	// A text that is there already is not read out again.
	setTimeout(() => (told.textContent = sentence), 50);
}

function showCopyButtons(root) {
	for (const button of root.querySelectorAll('button.copy')) button.hidden = false;
}

async function copy(button) {
	try {
		await navigator.clipboard.writeText(button.dataset.copy);
		button.classList.add('done');
		tell('Copied.');
		setTimeout(() => button.classList.remove('done'), 1500);
	} catch {
		// Not allowed here: then the text is marked, to be copied by hand.
		getSelection().selectAllChildren(button.previousElementSibling);
		tell('The text is marked. Copy it with the keyboard.');
	}
}

document.addEventListener('click', (event) => {
	const button = event.target.closest('button.copy');
	if (button) copy(button);
});

const every = 2000;
const parts = [...document.querySelectorAll('[data-live]')];

/** Puts the new state of a part in place of the old one, and leaves what is open and where the keyboard is as they were. */
function renew(part, fresh) {
	if (!fresh || part.dataset.before === fresh.innerHTML) return;
	const open = [...part.querySelectorAll('details[open][id]')].map(({ id }) => id);
	const focused = placeOf(document.activeElement, part);
	part.dataset.before = fresh.innerHTML;
	part.replaceChildren(...document.importNode(fresh, true).childNodes);
	for (const id of open) document.getElementById(id)?.setAttribute('open', '');
	showCopyButtons(part);
	focused?.()?.focus({ preventScroll: true });
}

/** How to find what has the keyboard again: as the nth of its kind in the nearest element with an id. */
function placeOf(element, part) {
	if (!part.contains(element)) return undefined;
	const owner = element.closest('[id]');
	if (owner === element) return () => document.getElementById(element.id);
	const at = [...owner.querySelectorAll(element.tagName)].indexOf(element);
	return () => document.getElementById(owner.id)?.querySelectorAll(element.tagName)[at];
}

function isBusy(part) {
	const marked = getSelection();
	return !marked.isCollapsed && part.contains(marked.anchorNode);
}

async function look() {
	const pausing =
		document.hidden || document.getElementById('pause')?.getAttribute('aria-pressed') === 'true';
	if (!pausing) {
		try {
			const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
			const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
			for (const part of parts) {
				if (answer.ok && !isBusy(part)) renew(part, page.getElementById(part.id));
			}
		} catch {
			// The sandbox ended, or starts anew: the next look may find it.
		}
	}
	setTimeout(look, every);
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
	});
	const note = document.createElement('p');
	note.className = 'live-note quiet';
	note.append('Renewed every two seconds. ', button);
	parts[0].before(note);
}

for (const part of parts) part.dataset.before = part.innerHTML;
showCopyButtons(document);
if (parts.length > 0) {
	addPauseButton();
	setTimeout(look, every);
}
