import { useState } from 'preact/hooks'
import { client } from '../api.ts'
import { FileButton } from '../parts/file-button.tsx'
import { useBusy } from '../parts/use-busy.ts'
import { PictureProblem } from '../picture/picture-problem.tsx'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { showStored } from '../picture/use-picture.ts'

interface Props {
  /** The link in the document. */
  link: string
  /** Called with the link of the uploaded picture. */
  onUpload: (link: string) => void
}

/** Shows the picture of a template and uploads a new one. */
export function PictureUpload({ link, onUpload }: Props) {
  const [isBusy, runOnce] = useBusy()
  const [problem, setProblem] = useState('')
  const upload = async ([file]: File[]) => {
    if (!file) return
    setProblem('')
    try {
      const stored = await client.uploadPicture(file)
      showStored([stored.link])
      onUpload(stored.link)
    } catch (error) {
      setProblem(`The picture was not stored: ${(error as Error).message}.`)
    }
  }
  return (
    <div class="picture-upload">
      <TemplatePicture image={link} name={link} without="nothing" />
      <div>
        <FileButton
          label={isBusy ? 'Uploading…' : 'Upload a picture'}
          accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
          isDisabled={isBusy}
          onFiles={files => runOnce(() => upload(files))}
        />
        <p class="hint">The link will be the IPFS link of exactly these bytes.</p>
        <PictureProblem link={link} />
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
      </div>
    </div>
  )
}
