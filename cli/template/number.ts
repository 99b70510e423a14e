import { maxInt } from '../../db/templates/table/columns.ts'
import { UsageError } from '../terminal/command.ts'

/** Reads an integer from 0 to the contract's highest. Throws UsageError. */
export function readNumber(name: string, text: unknown): number {
  const number = Number(text)
  if (!/^\d{1,10}$/.test(String(text)) || number > maxInt)
    throw new UsageError(`${name} must be an integer from 0 to ${maxInt}`)
  return number
}
