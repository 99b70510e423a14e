import { useState } from 'preact/hooks'
import { drawingSize, drawPicture } from './draw-picture.ts'
import './template-picture.css'
import { contentOf } from './ipfs-link.ts'
import { usePicture } from './use-picture.ts'

interface Props {
  image: string | null | undefined
  name: string
}

/** The picture of a template. If it cannot be loaded, a picture is drawn from its IPFS content id or the name. */
export function TemplatePicture({ image, name }: Props) {
  const address = usePicture(image)
  const [failed, setFailed] = useState<string>()
  if (address !== undefined && failed !== address)
    return <img class="face" src={address} alt="" loading="lazy" onError={() => setFailed(address)} />
  return <DrawnPicture text={contentOf(image) || image || name} />
}

function DrawnPicture({ text }: { text: string }) {
  const { background, paths } = drawPicture(text)
  return (
    <svg
      class="face"
      viewBox={`0 0 ${drawingSize} ${drawingSize}`}
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <rect width={drawingSize} height={drawingSize} fill={background} />
      {paths.map(({ colour, data }) => (
        <path key={colour} fill={colour} d={data} />
      ))}
    </svg>
  )
}
