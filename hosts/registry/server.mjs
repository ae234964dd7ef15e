// An npm registry on this machine without uplinks. It ends when its parent has ended, also by SIGKILL.
import { join } from 'node:path';
import { runServer } from 'verdaccio';

const [folder] = process.argv.slice(2);
const everybody = { access: '$all', publish: '$all', unpublish: '$all' };

const app = await runServer({
	self_path: join(folder, 'config.yaml'),
	storage: join(folder, 'storage'),
	auth: { htpasswd: { file: join(folder, 'htpasswd'), max_users: -1 } },
	uplinks: {},
	packages: { '**': everybody },
	web: { enable: false },
	log: { type: 'stdout', format: 'json', level: 'error' },
});
const server = app.listen(0, '127.0.0.1', () => {
	process.send({ url: `http://127.0.0.1:${server.address().port}` });
});

process.on('disconnect', () => process.exit());
