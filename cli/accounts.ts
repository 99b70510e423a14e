import type { Db } from '../db/schema.ts'
import type { ProcessSettings } from '../options.ts'
import { withStore } from './store.ts'
import type { Command } from './terminal/command.ts'
import { printFields, printList } from './terminal/list.ts'
import { jsonOption, printResult } from './terminal/result.ts'

interface AccountChange extends Pick<Command, 'summary' | 'details'> {
  /** The argument: what names the account. */
  key: 'email' | 'id'
  change(db: Db, name: string): Promise<void>
  /** The sentence that is printed afterwards, without the name. */
  done: string
}

/** Makes a command that changes one account. */
export const changeCommand = ({ key, change, done, ...texts }: AccountChange): Command => ({
  ...texts,
  positionals: [key],
  options: jsonOption,
  async run({ sources, positionals: [name = ''], values }) {
    await withStore(sources, db => change(db, name))
    printResult(values, { [key]: name }, `${done} ${name}.`)
  }
})

type Row = Parameters<typeof printFields>[0]

/** Makes a command that prints a list. */
export const listCommand = (
  summary: string,
  list: (db: Db, settings: ProcessSettings) => Promise<Row[]>
): Command => ({
  summary,
  options: jsonOption,
  async run({ sources, values }) {
    printList(await withStore(sources, list), values.json === true)
  }
})

/** Makes a command that prints the fields of one account. */
export const showCommand = (
  summary: string,
  key: 'email' | 'id',
  find: (db: Db, name: string) => Promise<Row>
): Command => ({
  summary,
  positionals: [key],
  options: jsonOption,
  async run({ sources, positionals: [name = ''], values }) {
    printFields(await withStore(sources, db => find(db, name)), values.json === true)
  }
})
