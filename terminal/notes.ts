import { toPlainLine } from './plain-text.ts'

/** Collects notes, such as assumptions about files, and prints them unless `isQuiet`. */
export function collectNotes(isQuiet = false) {
  const notes: string[] = []
  const note = (message: string): void => {
    notes.push(message)
    if (!isQuiet) console.error(toPlainLine(message))
  }
  return { notes, note }
}
