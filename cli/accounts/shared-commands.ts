import type { Db } from '../../db/schema.ts'
import { withStore } from '../store.ts'
import type { Call, Command } from '../terminal/command.ts'
import { jsonOption, printFields, printList, printResult } from '../terminal/result.ts'

type Row = Parameters<typeof printFields>[1]
type Change = (db: Db, name: string) => Promise<void>

/** What users and clients differ in. */
interface Accounts {
  kind: 'user' | 'client'
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
export function sharedCommands({ kind, key, details, load }: Accounts): Record<string, Command> {
  const common = { args: `<${key}>`, options: jsonOption }
  const changing = (action: 'disable' | 'enable' | 'remove', done: string) => ({
    ...common,
    async run({ sources, options }: Call, name: string) {
      const { [action]: change } = await load()
      await withStore(sources, db => change(db, name))
      printResult(options, { [key]: name }, `${done} ${kind} ${name}.`)
    }
  })
  return {
    list: {
      summary: `List the ${kind}s`,
      options: jsonOption,
      async run({ sources, options }) {
        const { list } = await load()
        printList(options, await withStore(sources, list))
      }
    },
    show: {
      summary: `Show a ${kind}`,
      ...common,
      async run({ sources, options }, name) {
        const { show } = await load()
        printFields(options, await withStore(sources, db => show(db, name)))
      }
    },
    disable: {
      ...changing('disable', 'Disabled'),
      summary: `Disable a ${kind}`,
      details: details.disable
    },
    enable: { ...changing('enable', 'Enabled'), summary: `Enable a disabled ${kind}` },
    remove: {
      ...changing('remove', 'Removed'),
      summary: `Remove a ${kind} for good`,
      details: details.remove
    }
  }
}
