FROM python:3.12-slim

# The two environments first: they change less often than the code.
WORKDIR /app
COPY requirements.lock requirements-kernel.lock ./
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir --disable-pip-version-check -r requirements.lock
RUN python3 -m venv .venv-kernel && .venv-kernel/bin/pip install --no-cache-dir --disable-pip-version-check -r requirements-kernel.lock

# Everything under /app belongs to root: the app's user, and so a visitor's code, can't change it.
COPY app.py ./
COPY components ./components
COPY services ./services
COPY assets ./assets
RUN .venv/bin/python -m compileall -q app.py components services && chmod -R a+rX,go-w .

RUN id -u 1000 >/dev/null 2>&1 || useradd --uid 1000 --no-create-home user
RUN install -d -o 1000 -g 1000 -m 700 /home/user
USER 1000

ENV HOME=/home/user
ENV PYTHONDONTWRITEBYTECODE=1
ENV HF_HUB_DISABLE_TELEMETRY=1
ENV GRADIO_SERVER_NAME=0.0.0.0
ENV GRADIO_SERVER_PORT=7860
EXPOSE 7860
CMD [".venv/bin/python", "app.py"]
