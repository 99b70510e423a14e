import type { Command } from './terminal/command.ts'

export const command: Command = {
  summary: 'Ask the running service how it is',
  settings: 'all',
  options: {
    live: { type: 'boolean', help: 'whether the process responds' },
    startup: { type: 'boolean', help: 'whether its start has finished' },
    ready: { type: 'boolean', help: 'whether it should get requests (the default)' },
    json: { type: 'boolean', help: 'print the response of the probe' }
  },
  details: `
Exit code 0 if it is well, 1 if not or if it does not respond within five seconds. Asks HEALTH_PORT if it is set,
otherwise the service itself at SOCKET_PATH, or HOST and PORT. For HEALTHCHECK and exec probes.`,
  async run({ sources, values }) {
    const { readListening } = await import('../options.ts')
    const { CommandError, UsageError } = await import('./terminal/command.ts')
    const { askProbe } = await import('./health/ask.ts')
    const chosen = (['live', 'startup', 'ready'] as const).filter(name => values[name] === true)
    if (chosen.length > 1) throw new UsageError('give one of --live, --startup and --ready')
    const probe = chosen[0] ?? 'ready'
    const { status, text } = await askProbe(
      readListening(sources),
      `/${probe === 'startup' ? 'startup' : probe}z`
    )
    if (values.json === true) console.log(text)
    if (status !== 200) throw new CommandError(`the service is not well: ${text}`)
    if (values.json !== true) console.log(chosen[0] === undefined ? 'ready' : `${probe}: ok`)
  }
}
