// Functions that tests call in the page.

globalThis.inPage = {
	/** The focused element: its text, and whether a person can see it and its focus. */
	focused() {
		const element = document.activeElement;
		if (!element || element === document.body) return null;
		const { outlineStyle, outlineWidth } = getComputedStyle(element);
		const { width, height, top, bottom } = element.getBoundingClientRect();
		return {
			name: element.textContent.replaceAll(/\s+/g, ' ').trim(),
			tag: element.tagName,
			seen: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
			onScreen: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
		};
	},

	copied: () => navigator.clipboard.readText(),

	/** How wide the page is with everything open, in pixels. */
	width() {
		for (const details of document.querySelectorAll('details')) details.open = true;
		return document.documentElement.scrollWidth;
	},

	/** Texts with less contrast than 4.5 to 1 (WCAG 2.2, 1.4.3). */
	faintTexts() {
		const faint = [...document.querySelectorAll('body *')].filter((element) => {
			const own = [...element.childNodes].some(
				({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent.trim(),
			);
			if (!own || !element.checkVisibility()) return false;
			const [text, ground] = [getComputedStyle(element).color, groundOf(element)].map(luminance);
			return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05) < 4.5;
		});
		return faint.map(
			({ tagName, className, textContent }) => `${tagName}.${className} ${textContent}`,
		);
	},
};

function channels(color) {
	return (color.match(/[\d.]+/g) ?? []).map(Number);
}

function luminance(color) {
	const [red, green, blue] = channels(color).map((value) =>
		value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
	);
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function groundOf(element) {
	if (!element) return 'rgb(255, 255, 255)';
	const { backgroundColor } = getComputedStyle(element);
	return channels(backgroundColor)[3] === 0 ? groundOf(element.parentElement) : backgroundColor;
}
