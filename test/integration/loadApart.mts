import * as n8nWorkflow from 'n8n-workflow';

/** Loads something as another process does: nothing of the package is shared with the rest of the test. */
export async function loadApart<T>(load: () => Promise<T>): Promise<T> {
	const loaded: T[] = [];
	// It takes most of the time to load, and keeps nothing.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	await jest.isolateModulesAsync(async () => void loaded.push(await load()));
	const [apart] = loaded;
	if (!apart) throw new Error('Nothing was loaded');
	return apart;
}
