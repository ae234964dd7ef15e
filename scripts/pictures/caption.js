/** Shows a sentence at the lower edge of the page, above whatever it shows. */
globalThis.showCaption = (text) => {
	let bar = document.querySelector('#caption');
	if (!bar) {
		bar = document.createElement('div');
		bar.id = 'caption';
		bar.style.cssText =
			'position:fixed;left:0;right:0;bottom:0;z-index:2147483647;pointer-events:none;padding:14px 24px;text-align:center;font:500 20px system-ui,sans-serif;color:#fff;background:#101330e6';
		document.body.append(bar);
	}
	bar.textContent = text;
};
