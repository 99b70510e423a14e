import { makeUnreadable } from './zip.ts'

/** A start tag with its attributes, an end tag, or a text. An empty element has both tags. Names have no prefix. */
export type XmlEvent =
  | { start: string; attributes: Record<string, string>; end?: never; text?: never }
  | { end: string; start?: never; text?: never }
  | { text: string; start?: never; end?: never }

/** Maximum characters of a tag or a text. A cell has at most 32,767, each of which may be escaped. */
const maxLength = 2 ** 20

/** A text that ends before a tag, a tag, CDATA, or a comment or declaration. */
const token =
  /([^<]+)(?=<)|<(\/?)([^\s/>!?]+)(?=[\s/>])((?:"[^"]*"|'[^']*'|[^>"'/]|\/(?!>))*)(\/?)>|<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<[?][\s\S]*?[?]>|<![^[-][^>]*>/y

/** Reads a part of a workbook in bounded memory. Knows only the entities that XML itself has. Throws FormatError. */
export async function* readXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<XmlEvent[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true })
    const events: XmlEvent[] = []
    rest = rest.slice(readTokens(rest, events))
    if (rest.length > maxLength) throw makeUnreadable('it has malformed XML')
    yield events
  }
  if (rest.trim() + decoder.decode() !== '') throw makeUnreadable('its XML ends too early')
}

/** Reads the complete tokens of a text, and returns where the first incomplete one begins. */
function readTokens(text: string, events: XmlEvent[]): number {
  let end = 0
  for (;;) {
    token.lastIndex = end
    const found = token.exec(text)
    if (!found) return end
    end = token.lastIndex
    const [, plain, slash, fullName, attributes = '', isEmpty, characters] = found
    if (plain !== undefined) events.push({ text: decodeEntities(plain) })
    else if (characters !== undefined) events.push({ text: characters })
    else if (fullName !== undefined) {
      const name = fullName.slice(fullName.indexOf(':') + 1)
      if (slash === '') events.push({ start: name, attributes: readAttributes(attributes) })
      if (slash !== '' || isEmpty !== '') events.push({ end: name })
    }
  }
}

/** Sticky, because a search in a long text without an attribute would begin at each character. */
const attribute = /\s*([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y

function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = { __proto__: null as never }
  for (let found = attribute.exec(text); found; found = attribute.exec(text)) {
    const [, name = '', one, other = ''] = found
    attributes[name] = decodeEntities(one ?? other)
  }
  return attributes
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
  if (!lines.includes('&')) return lines
  return lines.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
