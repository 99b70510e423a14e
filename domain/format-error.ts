/** A file of templates, or the rest of it, cannot be read, or templates cannot be written in a format. */
export class FormatError extends Error {
  /** From 1. */
  readonly line: number | undefined
  /** The header of a column. */
  readonly column: string | undefined

  constructor(message: string, { line, column }: { line?: number; column?: string | undefined } = {}) {
    super(message)
    this.line = line
    this.column = column
  }
}
