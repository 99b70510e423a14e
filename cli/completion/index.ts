import { type Command, UsageError } from '../terminal/command.ts'
import { scripts } from './scripts.ts'

export const command: Command = {
  summary: 'Print a script that completes commands in a shell',
  positionals: ['shell'],
  settings: 'none',
  details: `
<shell> is ${Object.keys(scripts).join(', ')}. For example, add to ~/.bashrc: source <(product-templates completion bash)`,
  async run({ positionals: [shell = ''] }) {
    const script = scripts[shell]
    if (script === undefined) throw new UsageError(`<shell> must be ${Object.keys(scripts).join(', ')}`)
    process.stdout.write(script)
  }
}
