import { useState } from 'preact/hooks'
import { drawingSize, drawPicture } from './draw-picture.ts'
import './picture.css'
import { contentOf, usePicture } from './use-picture.ts'

interface Props {
  image: string | null | undefined
  name: string
  /** What is shown where there is no picture: a small drawn face, or nothing. */
  without?: 'face' | 'nothing'
}

/** The picture of a template. If it cannot be shown, a small face is drawn from its IPFS content id or the name. */
export function TemplatePicture({ image, name, without = 'face' }: Props) {
  const address = usePicture(image)?.address
  const [failed, setFailed] = useState<string>()
  if (address !== undefined && failed !== address)
    return <img class="face" src={address} alt="" loading="lazy" onError={() => setFailed(address)} />
  return without === 'face' ? <DrawnFace text={contentOf(image) || image || name} /> : null
}

function DrawnFace({ text }: { text: string }) {
  const { background, paths } = drawPicture(text)
  return (
    <span class="no-picture">
      <svg class="face" viewBox={`0 0 ${drawingSize} ${drawingSize}`} aria-hidden="true">
        <rect width={drawingSize} height={drawingSize} fill={background} />
        {paths.map(({ colour, data }) => (
          <path key={colour} fill={colour} d={data} />
        ))}
      </svg>
    </span>
  )
}
