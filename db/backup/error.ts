/** A backup was not made, or not restored. The message is one line that says why. */
export class BackupError extends Error {}
