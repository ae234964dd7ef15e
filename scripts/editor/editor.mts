/** The editor of n8n as a person uses it, in a browser. */
import { join } from 'node:path';
import { selectors } from 'playwright-core';
import type { Locator, Page } from 'playwright-core';
import type { Host } from '../host/host.mts';
import { launchBrowser, openWindow } from './browser.mts';

// n8n marks its elements with this attribute
selectors.setTestIdAttribute('data-test-id');

const SIZE = { width: 1400, height: 1000 };

export type Editor = Awaited<ReturnType<typeof openEditor>>;

/** A browser that is signed in to a host. */
export async function openEditor({ url, account }: Pick<Host, 'url' | 'account'>) {
	const browser = await launchBrowser();
	const page = await openWindow(browser, url, { baseURL: url, viewport: SIZE });
	await page.goto('/signin');
	await page.locator('input[name=emailOrLdapLoginId]').fill(account.email);
	await page.locator('input[name=password]').fill(account.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL(({ pathname }) => !pathname.startsWith('/signin'));
	return { ...createActions(page), close: () => browser.close() };
}

/** What a person does in the editor, and sees there. */
function createActions(page: Page) {
	const form = page.getByTestId('node-parameters');
	const output = page.getByTestId('output-panel');

	const field = (name: string): Locator => page.getByTestId(`parameter-input-${name}`).last();

	async function choose(parameter: string, option: string): Promise<void> {
		await field(parameter).click();
		const name = page.getByText(option, { exact: true });
		await page.getByRole('option').filter({ has: name, visible: true }).click();
	}

	/** Opens the list of a resource locator and types words. Gives the entries once the expected one is there. */
	async function search(name: string, words: string, expected: string): Promise<string[]> {
		await page.getByTestId(`resource-locator-${name}`).getByTestId('rlc-input').click();
		const box = page.getByTestId('rlc-search').last();
		await box.waitFor();
		await page.keyboard.type(words);
		const entries = page.getByTestId('rlc-item');
		await entries.filter({ hasText: expected }).first().waitFor();
		return await entries.allInnerTexts();
	}

	return {
		page,
		form,
		output,
		field,
		choose,
		search,

		/** The labels of the form from top to bottom. */
		labels: async (): Promise<string[]> => {
			const texts = await form.getByTestId('input-label').filter({ visible: true }).allInnerTexts();
			// A required field has an asterisk behind its label.
			return texts.map((text) => (text.split('\n')[0] ?? '').replace(/\s*\*$/, '').trim());
		},

		/** Picks the entry of a searchable list. */
		pick: async (name: string, words: string, entry: string): Promise<void> => {
			await search(name, words, entry);
			await page.getByTestId('rlc-item').filter({ hasText: entry }).first().click();
		},

		openWorkflow: async (id: string): Promise<void> => {
			await page.goto(`/workflow/${id}`);
			await page.getByTestId('canvas-node').first().waitFor();
			const hint = page.getByRole('button', { name: 'Got it' });
			if (await hint.isVisible()) await hint.click();
		},

		/** Opens the form of a node of the open workflow. */
		openNode: async (name: string): Promise<void> => {
			await page.getByTestId('canvas-node').filter({ hasText: name }).first().dblclick();
			await form.waitFor();
		},

		/** Opens a workflow with the form of one of its nodes, by the ID of the node. */
		openForm: async (id: string, node = 'node0'): Promise<void> => {
			await page.goto(`/workflow/${id}/${node}`);
			await form.waitFor();
		},

		/** Goes from the open form to that of the next node; does nothing if the form of this node is open. */
		goTo: async (name: string): Promise<void> => {
			const title = page.getByTestId('node-title-container').getByTestId('inline-edit-preview');
			const shown = title.filter({ hasText: new RegExp(`^${name}$`) });
			const next = page.locator(`[data-test-id=floating-node][data-node-name="${name}"]`);
			await shown.or(next).waitFor();
			// An event, not a click, since on a narrow screen a panel covers the button
			if (!(await shown.isVisible())) await next.dispatchEvent('click');
			await shown.waitFor();
		},

		/** Runs the node whose form is open, and waits for its output. */
		execute: async (): Promise<void> => {
			await page.getByTestId('node-execute-button').click();
			await output.getByTestId('node-run-status-success').waitFor();
		},

		/** Saves a screenshot for the documents if PICTURES names a folder. */
		picture: async (name: string): Promise<void> => {
			const { PICTURES } = process.env;
			if (!PICTURES) return;
			await page.mouse.move(0, SIZE.height);
			await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
		},
	};
}
