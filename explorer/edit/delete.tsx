import { forgetList } from '../gallery/gallery.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { remove } from './save.ts'

/** Deletes the template, after a sentence that says what stays. */
export function Delete({ id, revision, onDeleted }: { id: number; revision: number; onDeleted: () => void }) {
  const run = async () => {
    const { problems } = await remove(id, revision)
    if (problems.length === 0) {
      forgetList()
      onDeleted()
    }
    return problems.map(({ message }) => message)
  }
  return (
    <Confirm title={`Delete template ${id}?`} opener="Delete" verb="Delete" plain onConfirm={run}>
      Its revisions are kept: it can be restored at its address.
    </Confirm>
  )
}
