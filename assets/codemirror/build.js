// Bundles entry.js into ../web/codemirror.js and markdown_entry.js into ../web/markdown.js, and collects the licence of
// every package that is in them.
import {build} from 'esbuild';
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';

const {metafile} = await build({
  entryPoints: {codemirror: 'entry.js', markdown: 'markdown_entry.js'},
  outdir: '../web',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  banner: {js: '// Built by assets/codemirror/build.js. Licences: assets/codemirror/LICENSES.'},
  metafile: true,
});

const folders = new Set(Object.keys(metafile.inputs).map(path => path.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean));
const licences = [...folders].sort().map(folder => {
  const {name, version, license} = JSON.parse(readFileSync(`${folder}/package.json`));
  const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} carries no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
});
writeFileSync('LICENSES', licences.join(`\n${'-'.repeat(72)}\n\n`));
const sizes = ['codemirror', 'markdown'].map(name => `${name}.js ${readFileSync(`../web/${name}.js`).length} bytes`);
console.log(`${folders.size} packages, ${sizes.join(', ')}`);
