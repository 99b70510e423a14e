/** Clients that send a request after the other on a connection, and notice how the server ends it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

/** Where a service listens. */
export type Target = { port: number; host?: string; secure?: ConnectionOptions } | { path: string }

export interface Ended {
  /** Complete responses. */
  answered: number
  /** How the connection ended: a response or a FIN said so, or a request has no response. */
  how: 'announced' | 'ended' | 'unanswered'
  /** What happened to the connection, for a look at a failure. */
  detail: string
}

/** A connection that is never without a request, until it ends. */
interface Saturated {
  /** Resolves with the first response. */
  begun: Promise<void>
  ended: Promise<Ended>
}

export function open(target: Target): Socket {
  if ('path' in target) return connect(target)
  const { secure, ...to } = target
  // An address: looking up a name takes threads, so a later connection could be there before.
  const address = { host: '127.0.0.1', ...to }
  return secure ? connectTls({ ...address, ...secure }) : connect(address)
}

/** Sends the same request again and again, each after the response before. */
export function saturate(target: Target, request: string): Saturated {
  const socket = open(target)
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Ended>()
  let text = ''
  let answered = 0
  let waits = false
  let announced = false
  const settle = (detail: string) => {
    const how = waits ? 'unanswered' : announced ? 'announced' : 'ended'
    ended.resolve({ answered, how, detail: `${detail} after ${text.length} bytes` })
    socket.destroy()
  }
  const send = () => {
    waits = true
    socket.write(request)
  }
  socket.setEncoding('latin1').on('data', chunk => {
    text += chunk
    const { length, closes } = parse(text)
    if (length > text.length) return
    text = text.slice(length)
    answered++
    waits = false
    announced = closes
    begun.resolve()
    // After a whole turn: if this process stood still and the server ended the idle connection, that has been read, too.
    if (!announced) setImmediate(() => setImmediate(() => socket.readable && send()))
  })
  socket.once('end', () => settle('end'))
  socket.once('error', error => settle((error as NodeJS.ErrnoException).code ?? error.message))
  once(socket, 'secure' in target && target.secure ? 'secureConnect' : 'connect').then(send, () => {})
  return { begun: begun.promise, ended: ended.promise }
}

/** The length of a response with Content-Length, and whether it is the last one. */
function parse(text: string): { length: number; closes: boolean } {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return { length: Number.POSITIVE_INFINITY, closes: false }
  const fields = text.slice(0, head)
  const [, body = '0'] = /\r\ncontent-length: (\d+)/i.exec(fields) ?? []
  return { length: head + 4 + Number(body), closes: /\r\nconnection: close/i.test(fields) }
}

/** Sends bytes and collects what comes until the connection ends. */
export function collect(target: Target, bytes: string) {
  const socket = open(target)
  let text = ''
  const begun = once(socket, 'data')
  begun.catch(() => {})
  socket.setEncoding('latin1').on('data', chunk => {
    text += chunk
  })
  socket.write(bytes)
  const whole = new Promise<string>(resolve => {
    socket.once('close', () => resolve(text))
    socket.once('error', error => {
      text += `\n${(error as NodeJS.ErrnoException).code}`
    })
  })
  return { socket, begun, text: whole }
}
