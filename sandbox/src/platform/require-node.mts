import process from 'node:process';

/** Throws a sentence if Node.js is too old, before anything is loaded that an older one does not have. */
const { node } = process.versions;
const [major = 0, minor = 0] = node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 16)) {
	throw new Error(`The sandbox needs Node.js 22.16 or newer. This is Node.js ${node}.`);
}
