import { dirname } from 'node:path';
import { timeZone } from './host/n8nProcess.mts';
import { importExamples } from './intake/examples.mts';
import { openIntake, readFilesOption } from './intake/intake.mts';
import { runToEnd } from './process/lifecycle.mts';
import { PlainError } from './process/plainError.mts';
import { say } from './process/terminal.mts';

const root = dirname(import.meta.dirname);

await runToEnd(async (lifecycle) => {
	const { host, sandbox, workflow, credential, files, writable, log } = await openIntake(
		lifecycle,
		{
			root,
			files: readFilesOption('npm start'),
			wantedPorts: { host: 5678, sandbox: 4170 },
		},
	);
	const { session, account } = host;
	const [first] = files;
	if (first) await importExamples({ root, session, account, credential, first, writable });
	say(`
Open the workflow   ${host.url}/workflow/${workflow.id}
  sign in with      ${account.email}
  password          ${account.password} (also for the forms and tools of the examples)
Open the sandbox    ${sandbox.url}/_sandbox/
  Sandbox URL       ${sandbox.baseUrl}
  organization      ${sandbox.organization.id} (${sandbox.organization.name})
  test key          ${sandbox.organization.testKey}
n8n writes to       ${writable}
n8n's log           ${log}
Time zone           ${timeZone()}

You can run the workflow again: it does not upload a document twice. The other examples are under Overview.
Both listen on this machine alone. The account, the data and the key are temporary and gone when this ends.
Press Ctrl-C to stop.`);
	await Promise.race([
		lifecycle.stayUp(),
		failAtEnd('n8n', host.group.ended),
		failAtEnd('The sandbox', sandbox.group.ended),
	]);
	return 0;
});

/** Throws when a process ends. */
async function failAtEnd(name: string, end: Promise<number>): Promise<never> {
	const code = await end;
	throw new PlainError(`${name} ended by itself (code ${code}). Run "npm start" again.`);
}
