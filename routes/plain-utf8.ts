import type { IncomingHttpHeaders } from 'node:http'

/** Whether a body is uncompressed and in UTF-8. */
export function isPlainUtf8({
  'content-type': type = '',
  'content-encoding': encoding = 'identity'
}: IncomingHttpHeaders): boolean {
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]*)/i.exec(type) ?? []
  return charset.toLowerCase() === 'utf-8' && encoding.toLowerCase() === 'identity'
}
