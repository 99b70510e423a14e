import { readFile } from 'node:fs/promises'
import type { OptionValues } from 'commander'
import { demo } from '../../seeds/credentials.ts'
import { contractQuery } from '../serve/banner.ts'
import { type Command, CommandError, readInteger, UsageError } from '../terminal/command.ts'
import { jsonOption, printList } from '../terminal/result.ts'
import { importAutocannon, runLoad } from './load.ts'

const defaultUrl = 'http://127.0.0.1:3000'

export const command: Command = {
  summary: 'Load-test a running service',
  args: '[url]',
  settings: 'none',
  options: {
    '--query <query>': 'GraphQL query; default: allProducts with its nine fields',
    '--connections <count>': 'connections that send requests; default: 16',
    '--duration <seconds>': 'how long; default: 10',
    '--client-id <id>': `client that gets the token; default: ${demo.clientId}`,
    '--client-secret-file <file>': 'file with its secret',
    '--username <email>': 'user; default: none, or the demo user for the demo client',
    '--password-file <file>': 'file with the password of the user',
    ...jsonOption
  },
  details: `
Gets one token, and then sends the same query on each connection as soon as the last response is complete. The default
URL is ${defaultUrl}. Without a user the token is for the client itself (client_credentials). The
latencies p50 and p99 are in milliseconds. Needs the package autocannon: \`npm install autocannon\`.`,
  async run({ options }, given = defaultUrl) {
    const url = parseUrl(given)
    const connections = readInteger('--connections', options.connections ?? '16', 1, 10_000)
    const seconds = readInteger('--duration', options.duration ?? '10', 1, 86_400)
    const autocannon = await importAutocannon()
    const token = await requestToken(url, await readCredentials(options))
    const request = {
      method: 'POST' as const,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: options.query ?? contractQuery, variables: {} })
    }
    await tryQuery(`${url}/graphql`, request)
    const load = { url: `${url}/graphql`, ...request, connections, duration: seconds }
    const result = await runLoad(autocannon, load)
    const { perSecond, p50, p99, errors, requests } = result
    const row = { 'req/s': perSecond.toFixed(), 'p50 ms': p50.toFixed(2), 'p99 ms': p99.toFixed(2) }
    printList(options, [{ ...row, errors }], { url, connections, ...result })
    if (errors > 0) throw new CommandError(`${errors} requests failed`)
    if (requests === 0) throw new CommandError('no request was answered in time: give a longer --duration')
  }
}

/** Returns an http or https URL without the slash at its end. */
function parseUrl(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UsageError('the URL must start with http:// or https://')
  return given.replace(/\/+$/, '')
}

/** Sends the query once: a GraphQL error may have the status 200, so the load alone does not show it. */
async function tryQuery(url: string, request: RequestInit): Promise<void> {
  const response = await send(url, request)
  const { data, errors } = await readJson(response)
  if (data === undefined || errors !== undefined)
    throw new CommandError(`the query failed: ${response.status} ${errors?.[0]?.message ?? ''}`.trimEnd())
}

/** Reads the credentials from the options, and the secrets from their files: other users of the machine can read a command line. */
async function readCredentials(options: OptionValues) {
  const { clientId = demo.clientId, clientSecretFile, username, passwordFile } = options
  if (!options.clientId !== !clientSecretFile)
    throw new UsageError('--client-id and --client-secret-file belong together')
  if (!username !== !passwordFile) throw new UsageError('--username and --password-file belong together')
  const ownUser = username && { username, password: await readSecretFile('password-file', passwordFile) }
  const demoUser = !options.clientId && { username: demo.email, password: demo.password }
  const user = ownUser || demoUser
  return {
    clientId,
    clientSecret: clientSecretFile
      ? await readSecretFile('client-secret-file', clientSecretFile)
      : demo.clientSecret,
    grant: new URLSearchParams(
      user ? { grant_type: 'password', ...user } : { grant_type: 'client_credentials' }
    )
  }
}

async function readSecretFile(option: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch (error) {
    throw new UsageError(`--${option} cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
  }
}

/** Requests a token. Throws CommandError with what the service says. */
async function requestToken(
  url: string,
  { clientId, clientSecret, grant }: Awaited<ReturnType<typeof readCredentials>>
): Promise<string> {
  const basic = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
  const response = await send(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
    body: grant
  })
  const { access_token: token, error, error_description: text } = await readJson(response)
  if (typeof token !== 'string')
    throw new CommandError(`no token: ${response.status} ${error ?? ''} ${text ?? ''}`.trimEnd())
  return token
}

/** Sends a request. Throws CommandError if the service cannot be reached. */
async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    const { code, message } =
      (error as { cause?: NodeJS.ErrnoException }).cause ?? (error as Error & { code?: string })
    throw new CommandError(`${url} cannot be reached: ${code ?? message}`)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any service may answer; the callers check what they need
const readJson = (response: Response): Promise<any> => response.json().catch(() => ({}))
