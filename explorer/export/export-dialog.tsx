import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type ExportFormat, exportFormats } from '../feature-parts.ts'
import { formatCount, plural } from '../format.ts'
import './export.css'
import { saveFile } from './save-file.ts'

/** The templates to export. */
export type ExportTarget = { ids: number[] } | { where: object }

interface Props {
  target: ExportTarget
  /** The number of templates; undefined if there are too many to count. */
  number: number | undefined
  onClose: () => void
}

const [usualFormat = ''] = Object.keys(exportFormats)

/** Exports templates to a file that can be imported again. */
export function ExportDialog({ target, number, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const [format, setFormat] = useState(usualFormat)
  const [done, setDone] = useState<number>()
  const [problem, setProblem] = useState('')
  const [stop] = useState(() => new AbortController())
  useEffect(() => {
    dialog.current?.showModal()
    return () => stop.abort()
  }, [stop])
  const submit = async (event: Event) => {
    event.preventDefault()
    setProblem('')
    setDone(0)
    try {
      // Loaded on demand, because it is rarely used.
      const { exportFile } = await import('./export-file.ts')
      const chosen = exportFormats[format] as ExportFormat
      const { file, note } = await exportFile(target, chosen, { stop: stop.signal, progress: setDone })
      saveFile(file, `templates.${format}`)
      if (note === '') return onClose()
      setProblem(`The file is saved, but ${note}.`)
      setDone(undefined)
    } catch (error) {
      if (!stop.signal.aborted) setProblem((error as Error).message)
      setDone(undefined)
    }
  }
  return (
    <dialog ref={dialog} class="dialog export-dialog" aria-labelledby={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h1 id={title}>Export {number === undefined ? 'templates' : plural(number, 'template')}</h1>
        <fieldset>
          <legend class="hidden-visually">Format</legend>
          {Object.entries(exportFormats).map(([key, { label }]) => (
            <label key={key}>
              <input type="radio" name="format" checked={format === key} onChange={() => setFormat(key)} />
              {label}
            </label>
          ))}
        </fieldset>
        {problem !== '' && (
          <p class="notice warning" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="button primary" disabled={done !== undefined}>
            {done === undefined ? 'Export' : `${formatCount(done)} read…`}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}
