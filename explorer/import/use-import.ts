import { useEffect, useRef, useState } from 'preact/hooks'
import type { Mapping } from '../../tables/mapping.ts'
import { TableError } from '../../tables/table.ts'
import { count, plural } from '../words.ts'
import type { Pictures } from './chosen-pictures.ts'
import { type Look, look } from './look.ts'
import { type Contents, describe } from './open-file.ts'
import { type Outcome, send } from './send.ts'

/** Looks at what an import would do, again after each change, and does it. Without `pictures`, none are uploaded. */
export function useImport(contents: Contents, mapping: Mapping | undefined, pictures: Pictures | undefined) {
  const [found, setFound] = useState<Look>()
  /** The number of rows that have been looked at or imported; undefined when that is done. */
  const [progress, setProgress] = useState<number>()
  /** How many pictures have been uploaded, in words. */
  const [uploads, setUploads] = useState('')
  const [problem, setProblem] = useState('')
  /** Why an import was refused. */
  const [refusal, setRefusal] = useState('')
  /** The places of rows that stay in view, whatever becomes of them. */
  const [kept, setKept] = useState<ReadonlySet<number>>(new Set())
  const imported = useRef(new Set<number>()).current
  useEffect(() => {
    const stop = new AbortController()
    setProblem('')
    look(contents, mapping, { pictures, imported, keep: kept, stop: stop.signal, progress: setProgress })
      .then(setFound, error => {
        if (stop.signal.aborted) return
        setFound(undefined)
        setProblem(error instanceof TableError ? describe(error) : (error as Error).message)
      })
      .finally(() => setProgress(undefined))
    return () => stop.abort()
  }, [contents, mapping, pictures, kept])
  useEffect(() => setRefusal(''), [mapping, pictures])
  const lookAgain = (keep: Iterable<number> = kept) => setKept(new Set(keep))
  const run = async (options: { replaces: boolean; message: string }): Promise<Outcome | undefined> => {
    setProgress(0)
    setRefusal('')
    try {
      const tell = { progress: setProgress, tellUploads: setUploads }
      const outcome = await send(contents, mapping, { pictures, imported, ...options, ...tell })
      if (outcome.problem === undefined) return outcome
      setRefusal(`${outcome.problem} ${describeWritten(outcome)}`)
      // Somebody else may have changed what the file is compared with.
      lookAgain()
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
  return { found, progress, uploads, problem: problem || refusal, run, lookAgain }
}

function describeWritten({ created, replaced, last = 0, isUnsure }: Outcome): string {
  const written = created + replaced
  if (written === 0) return isUnsure ? '' : 'Nothing was imported.'
  const rows = plural(written, 'row is', 'rows are')
  return `${rows} imported, up to row ${count(last)}: if you go on, they are left out.`
}
