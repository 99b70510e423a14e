import { useEffect, useState } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import { write } from '../asking.ts'
import { readSchema } from '../edit/schema.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { plural } from '../words.ts'
import { checkWith, type Input } from './candidate.ts'
import { Drop } from './drop.tsx'
import './import.css'
import { parseFile } from './parse-file.ts'
import { preview, type Row } from './preview.ts'
import { Rows } from './rows.tsx'

interface Result {
  created: number
  replaced: number
  unchanged: number
  kept: number
  userErrors: { message: string; path: string[] }[]
}

const mutation = `mutation Import($input: [ImportProductInput!]!, $mode: ImportMode!) {
  importProducts(input: $input, mode: $mode) {
    created replaced unchanged kept userErrors { message path } } }`

/** Imports a file, after a look at what that would do. */
export function Import() {
  const [rows, setRows] = useState<Row[]>()
  const [problem, setProblem] = useState('')
  const [result, setResult] = useState<Result>()
  useEffect(() => {
    document.title = 'Import · Templates'
  }, [])
  const open = async (file: File) => {
    setProblem('')
    setResult(undefined)
    setRows(undefined)
    try {
      const [schema, records] = await Promise.all([readSchema(), parseFile(file)])
      setRows(await preview(records.map(checkWith(schema))))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const run = async (mode: 'KEEP' | 'REPLACE') => {
    const input = (rows ?? []).flatMap(({ input, state }) => (input && state !== 'unchanged' ? [input] : []))
    try {
      const found = await send(input, mode)
      if (found.userErrors.length > 0) return setProblem(found.userErrors.map(toSentence).join(' '))
      forgetList()
      setResult(found)
      setRows(undefined)
    } catch {
      setProblem('The service did not answer. Import again: what was imported already stays unchanged.')
    }
  }
  return (
    <main id="main" class="import" tabIndex={-1}>
      <h1>Import</h1>
      <Drop small={rows !== undefined} onFile={open} />
      <div role="status">
        {problem !== '' && <p class="notice warning">{problem}</p>}
        {result && (
          <p class="notice">
            {plural(result.created, 'template')} created, {result.replaced} replaced, {result.kept} kept.{' '}
            <a href="#/">Show them</a>
          </p>
        )}
      </div>
      {rows && <Rows rows={rows} mayImport={mayWrite()} onImport={run} />}
    </main>
  )
}

const toSentence = ({ path, message }: { path: string[]; message: string }): string => {
  const index = Number(path[1])
  return Number.isInteger(index) ? `Record ${index + 1}: ${message}.` : `${message}.`
}

/** Imports all templates, or none if there is an error. */
const send = async (input: Input[], mode: 'KEEP' | 'REPLACE'): Promise<Result> =>
  (await write<{ importProducts: Result }>(mutation, { input, mode })).importProducts
