import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { withoutRunner } from '../support/service/process.ts'

interface Message {
  id?: number
  method?: string
  params?: unknown
  result?: { contents?: { value: string } } | null
}

/** Asks the language server of TypeScript what an editor shows at the first occurrence of each text in a file. */
export async function hover(compiler: string, path: string, texts: string[]): Promise<string[]> {
  const source = await readFile(path, 'utf8')
  const uri = pathToFileURL(path).href
  const server = spawn('env', [...withoutRunner, compiler, '--lsp', '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  const answers = new Map<number, (message: Message) => void>()
  let received = Buffer.alloc(0)

  const send = (message: Message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const receive = (message: Message) => {
    // The server also asks: an editor without settings of its own has no answer.
    if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null })
    else if (message.id !== undefined) answers.get(message.id)?.(message)
  }
  server.stdout.on('data', bytes => {
    received = Buffer.concat([received, bytes])
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4
      const end = start + Number(/Content-Length: (\d+)/.exec(received.subarray(0, start).toString())?.[1])
      if (start < 4 || received.length < end) return
      receive(JSON.parse(received.subarray(start, end).toString()))
      received = received.subarray(end)
    }
  })
  const ask = (method: string, params: unknown) =>
    new Promise<Message>((resolve, reject) => {
      const id = answers.size + 1
      answers.set(id, resolve)
      server.once('exit', () => reject(new Error('the language server has ended')))
      send({ id, method, params })
    })

  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } }
  await ask('initialize', { processId: process.pid, rootUri: null, capabilities })
  send({ method: 'initialized', params: {} })
  const textDocument = { uri, languageId: 'typescript', version: 1, text: source }
  send({ method: 'textDocument/didOpen', params: { textDocument } })
  const shown: string[] = []
  for (const text of texts) {
    const before = source.slice(0, source.indexOf(text)).split('\n')
    const position = { line: before.length - 1, character: before.at(-1)?.length }
    const { result } = await ask('textDocument/hover', { textDocument: { uri }, position })
    shown.push(result?.contents?.value ?? '')
  }
  await ask('shutdown', null)
  server.stdin.end()
  await once(server, 'exit')
  return shown
}
