/** Terms of the JSON Schema, and what the form shows instead. */
const replacements: [technical: RegExp, plain: string][] = [
  [/an absolute URL without spaces, a link that begins with \{ipfs_url\}\/,/gi, 'a link without spaces'],
  [/an integer, a string of digits or an empty string/gi, 'a number or nothing'],
  [/an absolute URL without spaces/gi, 'a link without spaces'],
  [/an integer/gi, 'a whole number'],
  [/an empty string/gi, 'nothing'],
  [/a list of strings/gi, 'a list of texts'],
  [/must be a string/gi, 'must be text'],
  [/true or false/gi, 'yes or no'],
  [/^data(?= is not valid JSON)/i, 'the text']
]

/** Rewrites a text of the JSON Schema in plain words. */
export const toPlainWords = (text: string): string =>
  replacements.reduce(
    (result, [technical, plain]) =>
      result.replace(technical, found => (found.startsWith('A') ? upperFirst(plain) : plain)),
    text
  )

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
