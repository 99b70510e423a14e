import { readFile } from 'node:fs/promises'
import type { OptionValues } from 'commander'
import { demo } from '../../seeds/credentials.ts'
import { CommandError, UsageError } from '../terminal/command.ts'

/** Reads the credentials from the options, and the secrets from their files: other users of the machine can read a command line. */
export async function readCredentials(options: OptionValues) {
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
export async function requestToken(
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
export async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    const { code, message } =
      (error as { cause?: NodeJS.ErrnoException }).cause ?? (error as Error & { code?: string })
    throw new CommandError(`${url} cannot be reached: ${code ?? message}`)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any service may answer; the callers check what they need
export const readJson = (response: Response): Promise<any> => response.json().catch(() => ({}))
