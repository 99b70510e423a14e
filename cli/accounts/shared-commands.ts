import type { Db } from '../../db/schema.ts'
import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printFields, printList, printResult } from '../terminal/result.ts'

type Row = Parameters<typeof printFields>[1]
type Change = (db: Db, name: string) => Promise<void>

/** Users or clients: their names, and the functions that the commands call. */
interface Accounts {
  kind: 'user' | 'client'
  /** In the summaries of `list` and `show`. */
  labels: { all: string; one: string }
  /** The argument: what names the account. */
  key: 'email' | 'id'
  details: { disable: string; remove: string }
  load(): Promise<{
    list(db: Db): Promise<Row[]>
    show(db: Db, name: string): Promise<Row>
    disable: Change
    enable: Change
    remove: Change
  }>
}

/** Makes the commands that users and clients have in common. */
export function sharedCommands({ kind, labels, key, details, load }: Accounts): Record<string, Command> {
  const changeCommand = (
    action: 'disable' | 'enable' | 'remove',
    done: string,
    texts: Pick<Command, 'summary' | 'details'>
  ): Command => ({
    ...texts,
    positionals: [key],
    options: jsonOption,
    async run({ sources, positionals: [name = ''], values }) {
      const { [action]: change } = await load()
      await withStore(sources, db => change(db, name))
      printResult(values, { [key]: name }, `${done} ${kind} ${name}.`)
    }
  })
  return {
    [`${kind} list`]: {
      summary: `List the ${labels.all}`,
      options: jsonOption,
      async run({ sources, values }) {
        const { list } = await load()
        printList(values, await withStore(sources, list))
      }
    },
    [`${kind} show`]: {
      summary: `Show ${labels.one}`,
      positionals: [key],
      options: jsonOption,
      async run({ sources, positionals: [name = ''], values }) {
        const { show } = await load()
        printFields(values, await withStore(sources, db => show(db, name)))
      }
    },
    [`${kind} disable`]: changeCommand('disable', 'Disabled', {
      summary: `Disable a ${kind}`,
      details: details.disable
    }),
    [`${kind} enable`]: changeCommand('enable', 'Enabled', { summary: `Enable a disabled ${kind}` }),
    [`${kind} remove`]: changeCommand('remove', 'Removed', {
      summary: `Remove a ${kind} for good`,
      details: details.remove
    })
  }
}
