import { plural } from '../../../../explorer/format.ts'
import { Button } from '../../../../explorer/ui/button.tsx'

/** Says above the columns of the file how many rows are wrong, and leads to them. Its height does not change. */
export function ToCorrect({ rows }: { rows: number }) {
  const show = () => {
    const list = document.querySelector<HTMLElement>('.import .rows')
    const field = list?.querySelector<HTMLElement>('[aria-invalid=true]') ?? list
    field?.focus()
  }
  return (
    <div class="to-correct across">
      <span role="status">
        {rows === 0
          ? 'No row needs to be corrected.'
          : `${plural(rows, 'row needs', 'rows need')} to be corrected.`}
      </span>
      {rows > 0 && <Button onClick={show}>Show {rows === 1 ? 'it' : 'them'}</Button>}
    </div>
  )
}
