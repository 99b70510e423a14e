import { useState } from 'preact/hooks'
import { drawFace, extent } from './draw-face.ts'
import './face.css'
import { contentOf } from './ipfs-link.ts'
import { usePicture } from './picture.ts'

interface Props {
  image: string | null | undefined
  name: string
}

/** The picture of a template. If it cannot be loaded, a picture is drawn from its IPFS content id or the name. */
export function Face({ image, name }: Props) {
  const address = usePicture(image)
  const [failed, setFailed] = useState<string>()
  if (address !== undefined && failed !== address)
    return <img class="face" src={address} alt="" loading="lazy" onError={() => setFailed(address)} />
  return <DrawnFace text={contentOf(image) || image || name} />
}

function DrawnFace({ text }: { text: string }) {
  const { ground, paths } = drawFace(text)
  return (
    <svg
      class="face"
      viewBox={`0 0 ${extent} ${extent}`}
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <rect width={extent} height={extent} fill={ground} />
      {paths.map(({ colour, data }) => (
        <path key={colour} fill={colour} d={data} />
      ))}
    </svg>
  )
}
