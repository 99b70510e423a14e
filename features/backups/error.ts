import { CommandError } from '../../terminal/command.ts'

/** A backup could not be made or restored. The message is one line. */
export class BackupError extends CommandError {
  constructor(message: string, { cause }: ErrorOptions = {}) {
    super(message)
    this.cause = cause
  }
}
