/** The options of a picture. */
interface Frame {
  title: string
  /** The content of the picture in words. */
  description: string
  heading: string
  caption: string
  width: number
  height: number
  /** The style of classes that only this picture has. */
  style: string
  parts: string[]
}

/** Pixels. */
export const margin = 20

const commonStyle = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .soft { fill: #59636e }
  .page { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .soft { fill: #9198a1 }
    .page { fill: #0d1117 }
  }`

/** Draws a picture with colours for light and dark pages. */
export const drawFrame = ({ title, description, heading, caption, width, height, style, parts }: Frame) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${escapeXml(title)}</title>
<desc id="description">${escapeXml(description)}</desc>
<style>${commonStyle}${style}
</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
<text class="title" x="${margin}" y="30">${escapeXml(heading)}</text>
<text class="soft" x="${margin}" y="50">${escapeXml(caption)}</text>
${parts.join('\n')}
</svg>
`

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
