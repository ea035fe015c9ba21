// Pairs of the shared colours, as this theme has them, that are too near each other: each a line of text.
() => {
  const probe = document.querySelector('.pane').appendChild(document.createElement('span'));
  const context = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d');
  const luminance = token => {
    probe.style.color = `var(${token})`;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map(each => each / 255)
      .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const low = [];
  const compare = (text, grounds, least) => {
    for (const ground of grounds) {
      const [dark, light] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < least) low.push(`${text} on ${ground}: ${ratio.toFixed(2)}`);
    }
  };
  const grounds = ['--body-background-fill', '--block-background-fill', '--background-fill-secondary', '--input-background-fill'];
  for (const text of ['--body-text-color', '--body-text-color-subdued', '--link-text-color', '--good', '--warn', '--bad']) {
    compare(text, grounds, 4.5);
  }
  for (const text of ['--body-text-color', '--good', '--warn', '--bad']) compare(text, ['--color-accent-soft'], 4.5);
  for (const kind of ['primary', 'secondary']) {
    compare(`--button-${kind}-text-color`, [`--button-${kind}-background-fill`, `--button-${kind}-background-fill-hover`], 4.5);
  }
  compare('--color-accent', grounds, 3);   // focus rings
  probe.remove();
  return low;
}
