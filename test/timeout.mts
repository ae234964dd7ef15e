/** Sets the time-out of each project's tests and hooks: jest itself has only one for all projects. */
declare const TIMEOUT_SECONDS: number;

jest.setTimeout(TIMEOUT_SECONDS * 1000);
