import { useEffect, useRef, useState } from 'preact/hooks'
import type { Mapping } from '../../tables/mapping.ts'
import { FormatError } from '../../tables/table.ts'
import { formatCount, plural } from '../format.ts'
import type { Pictures } from './chosen-pictures.ts'
import { type Contents, describe } from './open-file.ts'
import { type Preview, preview } from './preview.ts'
import { type Outcome, sendImport } from './send.ts'

/** Previews an import again after each change, and runs it. Without `pictures`, none are uploaded. */
export function useImport(contents: Contents, mapping: Mapping | undefined, pictures: Pictures | undefined) {
  const [found, setFound] = useState<Preview>()
  /** The number of rows previewed or imported so far; undefined when nothing runs. */
  const [progress, setProgress] = useState<number>()
  /** The progress of the uploads as text. */
  const [uploads, setUploads] = useState('')
  const [problem, setProblem] = useState('')
  /** The reason why the import stopped. */
  const [refusal, setRefusal] = useState('')
  /** The places of rows that stay visible. */
  const [kept, setKept] = useState<ReadonlySet<number>>(new Set())
  const imported = useRef(new Set<number>()).current
  useEffect(() => {
    const stop = new AbortController()
    setProblem('')
    preview(contents, mapping, { pictures, imported, keep: kept, stop: stop.signal, onProgress: setProgress })
      .then(setFound, error => {
        if (stop.signal.aborted) return
        setFound(undefined)
        setProblem(error instanceof FormatError ? describe(error) : (error as Error).message)
      })
      .finally(() => setProgress(undefined))
    return () => stop.abort()
  }, [contents, mapping, pictures, kept])
  useEffect(() => setRefusal(''), [mapping, pictures])
  const previewAgain = (keep: Iterable<number> = kept) => setKept(new Set(keep))
  const run = async (options: { replaces: boolean; message: string }): Promise<Outcome | undefined> => {
    setProgress(0)
    setRefusal('')
    try {
      const listeners = { onProgress: setProgress, onUploadProgress: setUploads }
      const outcome = await sendImport(contents, mapping, { pictures, imported, ...options, ...listeners })
      if (outcome.problem === undefined) return outcome
      setRefusal(`${outcome.problem} ${describeWritten(outcome)}`)
      // Somebody else may have changed the stored templates.
      previewAgain()
    } catch {
      setProblem(
        'The service did not answer. Look at the file again: what was imported already is unchanged then.'
      )
    } finally {
      setUploads('')
      setProgress(undefined)
    }
    return undefined
  }
  return { found, progress, uploads, problem: problem || refusal, run, previewAgain }
}

function describeWritten({ created, replaced, last = 0, isUnsure }: Outcome): string {
  const written = created + replaced
  if (written === 0) return isUnsure ? '' : 'Nothing was imported.'
  const rows = plural(written, 'row is', 'rows are')
  return `${rows} imported, up to row ${formatCount(last)}: if you go on, they are left out.`
}
