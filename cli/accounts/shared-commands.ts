import { makeActor, withStore } from '../store.ts'
import { type Call, type Command, CommandError } from '../terminal/command.ts'
import { jsonOption, printFields, printList, printResult } from '../terminal/result.ts'

/**
 * Makes the commands that users, clients and webhooks have in common. `key` is the name of their argument. `details`
 * is more help for the commands that disable and remove.
 */
export function makeSharedCommands(
  kind: 'user' | 'client' | 'webhook',
  key: 'email' | 'id',
  details: { disable: string; remove: string }
): Record<string, Command> {
  const load = async () => (await import('../../store.ts'))[`${kind}s`]
  const common = { args: `<${key}>`, options: jsonOption }
  const changing = (action: 'disable' | 'enable' | 'remove', done: string) => ({
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
        printFields(options, found)
      }
    },
    disable: { summary: `Disable a ${kind}`, details: details.disable, ...changing('disable', 'Disabled') },
    enable: { summary: `Enable a disabled ${kind}`, ...changing('enable', 'Enabled') },
    remove: {
      summary: `Remove a ${kind} for good`,
      details: details.remove,
      ...changing('remove', 'Removed')
    }
  }
}
