import { useEffect, useState } from 'preact/hooks'
import { type ExportFormat, exportFormats } from '../additions.ts'
import { formatCount, plural } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, Problems } from '../ui/dialog.tsx'
import { saveFile } from '../ui/save-file.ts'

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
  const [format, setFormat] = useState(usualFormat)
  const [done, setDone] = useState<number>()
  const [problem, setProblem] = useState('')
  const [stop] = useState(() => new AbortController())
  useEffect(() => () => stop.abort(), [stop])
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
  const title = `Export ${number === undefined ? 'templates' : plural(number, 'template')}`
  return (
    <Dialog title={title} class="export-dialog" onClose={onClose}>
      <form onSubmit={submit}>
        <fieldset class="stack">
          <legend class="hidden-visually">Format</legend>
          {Object.entries(exportFormats).map(([key, { label }]) => (
            <label key={key} class="check">
              <input type="radio" name="format" checked={format === key} onChange={() => setFormat(key)} />
              {label}
            </label>
          ))}
        </fieldset>
        <Problems problems={problem} />
        <div class="buttons">
          <Button type="submit" look="primary" disabled={done !== undefined}>
            {done === undefined ? 'Export' : `${formatCount(done)} read…`}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A button that opens the dialog. */
export function ExportButton({ target, number }: Omit<Props, 'onClose'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Export</Button>
      {isOpen && <ExportDialog target={target} number={number} onClose={() => setOpen(false)} />}
    </>
  )
}
