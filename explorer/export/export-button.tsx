import { useState } from 'preact/hooks'
import { ExportDialog } from './export-dialog.tsx'

interface Props {
  where: object
  /** How many templates match; undefined if they are not counted. */
  number: number | undefined
}

/** Exports all templates that match. */
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
