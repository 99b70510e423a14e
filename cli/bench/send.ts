import { CommandError } from '../terminal/command.ts'

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
