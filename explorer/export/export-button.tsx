import { useState } from 'preact/hooks'
import { ExportDialog } from './export-dialog.tsx'

interface Props {
  where: object
  /** The number of matching templates; undefined if they are not counted. */
  number: number | undefined
}

export function ExportButton({ where, number }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        Export
      </button>
      {isOpen && <ExportDialog target={{ where }} number={number} onClose={() => setOpen(false)} />}
    </>
  )
}
