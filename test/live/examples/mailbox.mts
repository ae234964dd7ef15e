/** A mailbox on this machine that Dovecot serves by IMAP. `deliver` writes mails into its folder, as a mail server does. */
import { execFile } from 'node:child_process';
import { chown, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGroup } from '../../../scripts/process/group.mts';
import { openLifecycle } from '../../../scripts/process/lifecycle.mts';
import { until } from '../../../scripts/process/until.mts';
import { choosePort } from '../../../scripts/process/port.mts';
import { makeWorkFolder } from '../../../scripts/process/workFolder.mts';
import { guard } from '../live.mts';

const USER = 'intake@dossier.example';
const PASSWORD = 'for-this-test-alone';

/** Dovecot refuses to serve mail as root. This user of Debian owns nothing. */
const NOBODY = { uid: 65534, gid: 65534, user: 'nobody', group: 'nogroup' };

async function readUser() {
	const { uid, gid, username: user } = userInfo();
	const { stdout } = await promisify(execFile)('id', ['-gn']);
	return { uid, gid, user, group: stdout.trim() };
}

/** A mail with attached files. */
interface Mail {
	subject: string;
	files: Array<{ name: string; content: string }>;
}

function formatConfiguration(folder: string, port: number, user: string, group: string): string {
	return `
protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
mail_location = maildir:${folder}/mail
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
ssl = no
disable_plaintext_auth = no
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = home=${folder}
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`;
}

const encodeHeader = (text: string) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;

/** The mail as a mail program writes it (RFC 2045, 2047 and 2231). */
function formatMail({ subject, files }: Mail): string {
	const parts = files.map(
		({ name, content }) => `--part
Content-Type: application/octet-stream
Content-Disposition: attachment; filename*=UTF-8''${encodeURIComponent(name)}
Content-Transfer-Encoding: base64

${Buffer.from(content).toString('base64')}
`,
	);
	return `From: Jane Doe <jane@client.example>
To: ${USER}
Subject: ${encodeHeader(subject)}
Date: ${new Date().toUTCString()}
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=part

--part
Content-Type: text/plain; charset=utf-8

Please find the papers enclosed.
${parts.join('')}--part--
`;
}

/** Whether a server at this port sends its greeting. */
function hasAnswer(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.on('error', () => resolve(false));
		socket.on('data', () => {
			socket.destroy();
			resolve(true);
		});
	});
}

export type Mailbox = Awaited<ReturnType<typeof openMailbox>>;

/** Opens an empty mailbox. Dovecot has to be installed (dovecot-imapd). */
export async function openMailbox() {
	const { lifecycle, close } = openLifecycle();
	const folder = await makeWorkFolder(lifecycle);
	const mail = join(folder, 'mail');
	for (const name of ['', 'tmp', 'new', 'cur']) await mkdir(join(mail, name), { recursive: true });
	const owner = process.getuid?.() === 0 ? NOBODY : await readUser();
	const port = await choosePort();
	const file = join(folder, 'dovecot.conf');
	await writeFile(file, formatConfiguration(folder, port, owner.user, owner.group));
	if (owner === NOBODY) {
		for (const path of [folder, mail, ...['tmp', 'new', 'cur'].map((name) => join(mail, name))]) {
			await chown(path, owner.uid, owner.gid);
		}
	}
	const watch = guard(lifecycle, folder);
	const group = startGroup(lifecycle, 'dovecot', ['-F', '-c', file], {
		cwd: folder,
		env: { PATH: `${process.env.PATH}:/usr/sbin` },
		graceMs: 5_000,
		user: { uid: owner.uid, gid: owner.gid },
	});
	watch(group);
	await until('answer of Dovecot', async () => await hasAnswer(port)).catch(
		async (error: unknown) => {
			await close();
			throw error;
		},
	);
	let delivered = 0;

	return {
		/** The values for n8n's IMAP credential. */
		credential: {
			user: USER,
			password: PASSWORD,
			host: '127.0.0.1',
			port,
			secure: false,
			allowUnauthorizedCerts: false,
		},
		deliver: async (content: Mail) => {
			delivered += 1;
			const name = `${Date.now()}.${delivered}.letter`;
			await writeFile(join(mail, 'tmp', name), formatMail(content).replaceAll('\n', '\r\n'));
			await rename(join(mail, 'tmp', name), join(mail, 'new', name));
		},
		/** How many mails are not marked as read. */
		countUnread: async () => {
			const names = [...(await readdir(join(mail, 'new'))), ...(await readdir(join(mail, 'cur')))];
			return names.filter((name) => !/:2,[A-Z]*S/.test(name)).length;
		},
		close,
	};
}
