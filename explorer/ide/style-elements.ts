/**
 * Moves the text of style elements into constructed style sheets. The content security policy forbids inline styles,
 * which the editor creates; sheets made by a script are allowed.
 */
const sheets = new WeakMap<Node, CSSStyleSheet>()

const create = document.createElement.bind(document)
document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = create(name, options)
  if (element instanceof HTMLStyleElement) redirect(element)
  return element
}) as typeof document.createElement

/** Intercepts the three ways in which the libraries write: two properties and a text node. */
function redirect(element: HTMLStyleElement): void {
  const write = (text: string) => {
    const sheet = sheets.get(element) ?? new CSSStyleSheet()
    sheet.replaceSync(text)
    if (!sheets.has(element)) document.adoptedStyleSheets.push(sheet)
    sheets.set(element, sheet)
  }
  const property = { set: write, get: () => '' }
  const appendChild = (node: Node) => {
    write(node.textContent ?? '')
    return node
  }
  Object.defineProperties(element, {
    textContent: property,
    innerText: property,
    appendChild: { value: appendChild }
  })
}

/** Removes a sheet together with its element. */
new MutationObserver(changes => {
  const gone = changes.flatMap(({ removedNodes }) => [...removedNodes]).map(node => sheets.get(node))
  if (gone.some(Boolean))
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter(sheet => !gone.includes(sheet))
}).observe(document.head, { childList: true })
