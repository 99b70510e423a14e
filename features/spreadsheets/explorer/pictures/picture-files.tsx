import { plural } from '../../../../explorer/format.ts'
import { FileButton } from '../../../../explorer/ui/file-button.tsx'
import type { Preview } from '../rows/preview.ts'

/** The number of missing pictures, and a button to choose them. */
export function PictureFiles({
  pictures: { named, missing },
  onFiles
}: {
  pictures: Preview['pictures']
  onFiles: (files: File[]) => void
}) {
  if (named === 0) return null
  return (
    <div class="key across">
      <span>
        The table names {plural(named, 'picture')}.{' '}
        {missing === 0
          ? 'They are uploaded when you import.'
          : `${plural(missing, 'file is missing', 'files are missing')}.`}
      </span>
      <FileButton label="Choose pictures" accept="image/*" isMultiple onFiles={onFiles} />
    </div>
  )
}
