import type { OptionValues } from 'commander'
import type { AuditActor } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import { type Call, type Command, CommandError, UsageError } from './command.ts'
import { jsonOption, printList, printResult } from './result.ts'
import { makeActor, withStore } from './store.ts'

/** The functions of the store that the commands call. */
interface Functions {
  list(db: Db): Promise<object[]>
  find(db: Db, key: string): Promise<object | undefined>
  update(db: Db, key: string, values: object, actor: AuditActor): Promise<object>
  disable(db: Db, key: string, actor: AuditActor): Promise<unknown>
  enable(db: Db, key: string, actor: AuditActor): Promise<unknown>
  delete(db: Db, key: string, actor: AuditActor): Promise<unknown>
}

/** The differences between the commands of users, clients and others. */
interface Differences {
  /** Imports the functions, which help does not need. */
  load(): Promise<Functions>
  set: Pick<Command, 'summary' | 'options' | 'details'> & {
    /** Reads the values to change. */
    read(options: OptionValues): object
  }
  /** More help for the commands that disable and delete. */
  disable: string
  delete: string
}

/** Makes the commands that users, clients and others have in common. `key` is the name of their argument. */
export function makeSharedCommands(
  kind: string,
  key: 'email' | 'id',
  { load, set: { read, ...set }, ...details }: Differences
) {
  const common = { args: `<${key}>`, options: jsonOption }
  const changing = (action: 'disable' | 'enable' | 'delete', done: string) => ({
    ...common,
    async run({ sources, options }: Call, name: string) {
      const { [action]: change } = await load()
      await withStore(sources, db => change(db, name, makeActor()))
      printResult(options, { [key]: name }, `${done} ${kind} ${name}.`)
    }
  })
  return {
    list: {
      summary: `List the ${kind}s`,
      options: jsonOption,
      async run({ sources, options }) {
        const { list } = await load()
        printList(options, await withStore<object[]>(sources, list))
      }
    },
    show: {
      summary: `Show a ${kind}`,
      ...common,
      async run({ sources, options }, name) {
        const { find } = await load()
        const found = await withStore<object | undefined>(sources, db => find(db, name))
        if (!found) throw new CommandError(`there is no ${kind} ${name}`)
        const fields = Object.entries(found).map(([field, value]) => ({ field, value }))
        printList(options, fields, found)
      }
    },
    set: {
      ...common,
      ...set,
      options: { ...set.options, ...jsonOption },
      async run({ sources, options }, name) {
        const { update } = await load()
        const values = read(options)
        if (Object.keys(values).length === 0)
          throw new UsageError('nothing to change: give an option, see --help')
        const changed = await withStore<object>(sources, db => update(db, name, values, makeActor()))
        printResult(options, changed, `Changed ${kind} ${name}.`)
      }
    },
    disable: { summary: `Disable a ${kind}`, details: details.disable, ...changing('disable', 'Disabled') },
    enable: { summary: `Enable a disabled ${kind}`, ...changing('enable', 'Enabled') },
    delete: {
      summary: `Delete a ${kind} permanently`,
      details: details.delete,
      ...changing('delete', 'Deleted')
    }
  } satisfies Record<string, Command>
}
