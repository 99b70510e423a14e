import { Button } from '../../../../explorer/ui/button.tsx'
import { saveFile } from '../../../../explorer/ui/save-file.ts'

interface Props {
  label: string
  /** The name of the file without its ending. */
  name: string
  write: () => Promise<Blob>
}

/** A button that saves rows of the table as a CSV file. */
export const SaveRows = ({ label, name, write }: Props) => (
  <Button onClick={async () => saveFile(await write(), `${name}.csv`)}>{label}</Button>
)
