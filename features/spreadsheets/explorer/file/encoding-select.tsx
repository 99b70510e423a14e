import { Select } from '../../../../explorer/ui/inputs.tsx'
import type { Contents } from './open-file.ts'

/** The usual encodings of spreadsheets that are not in Unicode, by their labels in https://encoding.spec.whatwg.org. */
const names: Record<string, string> = {
  'utf-8': 'Unicode',
  'utf-16le': 'Unicode',
  'windows-1252': 'Western European',
  'windows-1250': 'Central European',
  'iso-8859-2': 'Central European',
  'windows-1251': 'Cyrillic',
  'koi8-r': 'Cyrillic',
  ibm866: 'Cyrillic',
  'windows-1253': 'Greek',
  'windows-1254': 'Turkish',
  'windows-1255': 'Hebrew',
  'windows-1256': 'Arabic',
  'windows-1257': 'Baltic',
  'windows-1258': 'Vietnamese',
  'windows-874': 'Thai',
  shift_jis: 'Japanese',
  gb18030: 'Chinese, simplified',
  big5: 'Chinese, traditional',
  'euc-kr': 'Korean',
  macintosh: 'Western European'
}

const choices: [label: string, text: string][] = [
  ['', 'Automatic'],
  ...Object.entries(names).map(([label, name]): [string, string] => [label, `${name} (${label})`])
]

interface Props {
  file: File
  chosen: string | undefined
  /** Undefined if the file could not be read. */
  contents: Contents | undefined
  onChoose: (encoding: string | undefined) => void
}

/** The encoding of a table in a text file. */
export function EncodingSelect({ file, chosen, contents, onChoose }: Props) {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return null
  const assumed = contents && 'table' in contents ? contents.table.assumed : undefined
  return (
    <>
      {assumed && (
        <p class="notice warning" role="status">
          The file is not in UTF-8, so it was read as {names[assumed]} ({assumed}). If letters are wrong,
          choose its encoding.
        </p>
      )}
      <label class="sheet across" for="encoding">
        Encoding
        <Select
          id="encoding"
          class="button"
          value={chosen ?? ''}
          choices={choices}
          onChange={encoding => onChoose(encoding || undefined)}
        />
      </label>
    </>
  )
}
