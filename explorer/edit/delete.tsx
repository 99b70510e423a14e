import { forgetList } from '../gallery/gallery.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { toSentence } from './problem.ts'
import { remove } from './save.ts'

interface Props {
  id: number
  /** The stored name. The draft may have another one. */
  name: string
  revision: number
  onDeleted: () => void
}

/** Deletes the template after a confirmation. */
export function Delete({ id, name, revision, onDeleted }: Props) {
  const run = async () => {
    const { problems } = await remove(id, revision)
    if (problems.length === 0) {
      forgetList()
      onDeleted()
    }
    return problems.map(toSentence)
  }
  return (
    <Confirm
      title={`Delete ${name || `template ${id}`}?`}
      label="Delete"
      confirmLabel="Delete"
      look="danger"
      onConfirm={run}
    >
      Its revisions are kept: you can restore it from the deleted templates.
    </Confirm>
  )
}
