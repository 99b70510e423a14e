import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { FormatError } from '../../../domain/format-error.ts'
import { describeFailure } from '../../../explorer/api.ts'
import { formatCount, plural } from '../../../explorer/format.ts'
import { useBusy } from '../../../explorer/ui/use-busy.ts'
import type { Mapping } from '../tables/mapping.ts'
import { type Contents, describe } from './file/open-file.ts'
import type { Pictures } from './pictures/chosen-pictures.ts'
import { type Preview, preview } from './rows/preview.ts'
import { type ImportResult, sendImport } from './sending/send.ts'

/** Previews an import, and runs it. Without `pictures`, none are uploaded. */
export function useImport(contents: Contents, mapping: Mapping | undefined, pictures: Pictures | undefined) {
  /** The number of rows previewed or imported so far; undefined when nothing runs. */
  const [progress, setProgress] = useState<number>()
  /** The progress of the uploads as text. */
  const [uploads, setUploads] = useState('')
  const [problem, setProblem] = useState('')
  /** The reason why the import stopped. */
  const [refusal, setRefusal] = useState('')
  const imported = useRef(new Set<number>()).current
  const [key] = useState(() => crypto.randomUUID())
  const [isImporting, runOnce] = useBusy()
  const options = { pictures, imported, onProgress: setProgress, onProblem: setProblem }
  const { found, isOld, mayRetry, previewAgain } = usePreview(contents, mapping, options)
  useEffect(() => setRefusal(''), [mapping, pictures])
  /** Says that a field must be corrected first. */
  const refuse = () => setRefusal('Nothing was imported. Correct what is marked, then import again.')
  const run = async (options: { replaces: boolean; message: string }): Promise<ImportResult | undefined> => {
    setProgress(0)
    setRefusal('')
    try {
      const listeners = { onProgress: setProgress, onUploadProgress: setUploads }
      const outcome = await sendImport(contents, mapping, {
        ...{ pictures, key, imported, ...options, ...listeners }
      })
      if (outcome.problem === undefined) return outcome
      setRefusal(`${outcome.problem} ${describeWritten(outcome)}`)
      // Somebody else may have changed the stored templates.
      previewAgain()
    } catch {
      setProblem(
        'The service did not answer. Open the file again: rows that were imported already are then unchanged.'
      )
    } finally {
      setUploads('')
      setProgress(undefined)
    }
    return undefined
  }
  return {
    ...{ found, isOld, mayRetry, isImporting, progress, uploads, problem: problem || refusal },
    ...{ run, runOnce, refuse, previewAgain }
  }
}

interface PreviewOptions {
  pictures: Pictures | undefined
  imported: ReadonlySet<number>
  onProgress: (done: number | undefined) => void
  onProblem: (problem: string) => void
}

/** Previews an import again after each change. Until then, the preview that is found is old. */
function usePreview(
  contents: Contents,
  mapping: Mapping | undefined,
  { pictures, imported, onProgress, onProblem }: PreviewOptions
) {
  const [found, setFound] = useState<{ preview: Preview; of: object }>()
  /** Whether the file is not the reason why there is no preview. */
  const [mayRetry, setMayRetry] = useState(false)
  /** The places of rows that stay visible. */
  const [kept, setKept] = useState<ReadonlySet<number>>(new Set())
  const shown = useMemo(() => ({ pictures, keep: kept }), [contents, mapping, pictures, kept])
  useEffect(() => {
    const stop = new AbortController()
    onProblem('')
    setMayRetry(false)
    preview(contents, mapping, { ...shown, imported, stop: stop.signal, onProgress })
      .then(preview => setFound({ preview, of: shown }))
      .catch(error => {
        if (stop.signal.aborted) return
        setFound(undefined)
        setMayRetry(!(error instanceof FormatError))
        onProblem(
          error instanceof FormatError ? describe(error) : describeFailure(error, (error as Error).message)
        )
      })
      .finally(() => onProgress(undefined))
    return () => stop.abort()
  }, [shown])
  const previewAgain = (keep: Iterable<number> = kept) => setKept(new Set(keep))
  return { found: found?.preview, isOld: found?.of !== shown, mayRetry, previewAgain }
}

function describeWritten({ created, replaced, last = 0, isUnsure }: ImportResult): string {
  const written = created + replaced
  const hint = isUnsure ? ' To find out, import again without changes: no row is imported twice.' : ''
  if (written === 0) return isUnsure ? hint.trim() : 'Nothing was imported.'
  const rows = plural(written, 'row is', 'rows are')
  return `${rows} imported, up to row ${formatCount(last)}: if you go on, they are left out.${hint}`
}
