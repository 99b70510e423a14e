/** What is needed of the editor that GraphiQL loads. */
interface Monaco {
  editor: {
    defineTheme(
      name: string,
      theme: {
        base: 'vs' | 'vs-dark'
        inherit: boolean
        rules: { token: string; foreground: string }[]
        colors: Record<string, string>
      }
    ): void
  }
}

/** The colours that are too pale for the backgrounds of GraphiQL, by the names of the editor. */
const light = {
  rules: [
    { token: 'type', foreground: '006a6a' },
    { token: 'number', foreground: '06663f' },
    { token: 'comment', foreground: '006e00' },
    { token: 'argument.identifier.gql', foreground: '5350b8' }
  ],
  brackets: '#1f6b1f'
}
const dark = {
  rules: [
    { token: 'comment', foreground: '7fae6a' },
    { token: 'argument.identifier.gql', foreground: '908aff' }
  ],
  brackets: '#da70d6'
}

/** Gives the themes of GraphiQL colours that can be read: contrast 4.5, WCAG 2.2 §1.4.3. */
export function setEditorColours({ editor }: Monaco): void {
  for (const [name, base, { rules, brackets }] of [
    ['graphiql-LIGHT', 'vs', light],
    ['graphiql-DARK', 'vs-dark', dark]
  ] as const)
    editor.defineTheme(name, {
      base,
      inherit: true,
      rules: [...rules],
      colors: {
        'editor.background': '#ffffff00',
        'scrollbar.shadow': '#ffffff00',
        'editorBracketHighlight.foreground2': brackets
      }
    })
}
